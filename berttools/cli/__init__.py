"""What all commands share: options, output, signals and messages."""
