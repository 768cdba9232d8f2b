"""Reader of Hugging Face config.json files: the network they describe, and how far it is known."""

from engine.importers.hf_config.reading import import_data, read_config
from engine.importers.hf_config.records import Assumption, ConfigImport, ReadField, WeightFormat
from engine.importers.hf_config.writing import write_config

__all__ = [
    "Assumption",
    "ConfigImport",
    "ReadField",
    "WeightFormat",
    "import_data",
    "read_config",
    "write_config",
]
