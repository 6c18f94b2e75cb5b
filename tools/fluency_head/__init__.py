"""How the fluency head is trained: spoilt sentences, and which of their words are out of place."""
