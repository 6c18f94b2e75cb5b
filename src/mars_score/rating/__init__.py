"""People rate the texts of a blinded sheet in a browser: the form, what is kept of it, and the file it gives."""
