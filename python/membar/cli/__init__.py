"""The command line: options, commands, exit codes; and the plug-in for pytest."""
