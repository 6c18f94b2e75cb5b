"""People rate the texts of a blinded sheet in a browser: the form, its storage, the export."""
