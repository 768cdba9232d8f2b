"""Item models and the Qt-free rows behind them."""
