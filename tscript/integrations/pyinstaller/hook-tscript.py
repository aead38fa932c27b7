"""The hook of PyInstaller for tscript."""

from importlib.metadata import packages_distributions

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

hiddenimports = collect_submodules("tscript", filter=lambda name: not name.startswith("tscript.integrations"))
# One distribution has the files: `tscript-core`, or `tscript` if it was installed from source.
owners = sorted(set(packages_distributions().get("tscript", ["tscript"])))
datas = [*collect_data_files("tscript"), *(entry for owner in owners for entry in copy_metadata(owner))]
module_collection_mode = {"tscript": "py"}
