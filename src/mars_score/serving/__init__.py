"""The server: requests -> examples -> queue -> one worker with the models -> answers; and the playground.

- `schemas.py`, `items.py`, `uploads.py` turn what a client sends into examples, within `limits.py`.
- `queue.py` keeps `ticket.py`s in line, `batching.py` cuts batches from it, `worker.py` does them with `scorers.py`.
- `api.py`, `job_routes.py` and `playground.py` are what a client sees; `server.py` puts it together.
"""
