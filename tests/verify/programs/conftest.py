"""These programs are run by the tests; they hold none."""

collect_ignore_glob = ["*"]
