"""SQLite behind repositories that take and give models; plan files. Nothing is ever deleted on opening."""

from engine.storage.database import Database, open_database
from engine.storage.journal import Journal, JournalEntry, Recovery
from engine.storage.plan_files import is_plan_file, read_plan_file, write_plan_file
from engine.storage.plans import PlanRepository, PlanSummary, RevisionSummary
from engine.storage.problems import StorageError
from engine.storage.reviews import ReviewRepository, StoredReview
from engine.storage.states import STATES, RecommendationState, StateRepository

__all__ = [
    "STATES",
    "Database",
    "Journal",
    "JournalEntry",
    "PlanRepository",
    "PlanSummary",
    "RecommendationState",
    "Recovery",
    "ReviewRepository",
    "RevisionSummary",
    "StateRepository",
    "StorageError",
    "StoredReview",
    "is_plan_file",
    "open_database",
    "read_plan_file",
    "write_plan_file",
]
