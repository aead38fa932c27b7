"""The hook of PyInstaller for tscript."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

hiddenimports = collect_submodules("tscript", filter=lambda name: not name.startswith("tscript.integrations"))
datas = [*collect_data_files("tscript"), *copy_metadata("tscript")]
module_collection_mode = {"tscript": "py"}
