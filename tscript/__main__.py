"""``python -m tscript`` is the command ``tscript``."""

from tscript.cli.main import main

if __name__ == "__main__":
    main()
