"""The budget proposal: a Review as a document, its figures, and the PDF. Qt-free."""
