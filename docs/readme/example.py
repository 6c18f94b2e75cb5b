from mars_score import MarsScorer

result = MarsScorer().score(
    candidates=["It curled up on her coat and came home with her.", "Ilse repainted the stairs."],
    references=["The cat slept in her lap all the way and never left her again."] * 2,
    contexts=[
        "Ilse found a stray cat on the ferry. It had a hook in its ear. She cut it off with her pliers."
    ]
    * 2,
)
print([round(score, 3) for score in result.scores])  # in order; result.mean is the system's score
for term in result[0].augmented:  # what the first candidate was compared with
    print(f"{term.cosine:.3f}  {term.text}")
