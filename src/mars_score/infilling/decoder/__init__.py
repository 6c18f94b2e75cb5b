"""The batched decoder: many templates in flight, one forward pass a round."""
