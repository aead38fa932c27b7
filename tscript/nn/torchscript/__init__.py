"""Archives of TorchScript as scripted modules: `load_torchscript`, `report`.

`tscript.archive.torchscript` reads the file as data; here its code is translated to the language and its objects become
modules. Nothing of the archive runs while it is loaded.
"""

from tscript.nn.torchscript.loading import Report, load_file, load_torchscript, report, report_file

__all__ = ["Report", "load_file", "load_torchscript", "report", "report_file"]
