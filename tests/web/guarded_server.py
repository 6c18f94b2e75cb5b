"""A server whose work is done at once, with limits of its own: python -m tests.web.guarded_server '{"headers": 1}'.

It is told on standard input whether work is held up: "hold", "go".
"""

from __future__ import annotations

import json
import sys
import threading

from mars_score.web.api.app import make_server
from mars_score.web.connections import ConnectionLimits
from mars_score.web.server import serve
from tests.web.api.fake import FakeService

if __name__ == "__main__":
    service = FakeService()

    def obey() -> None:
        for line in sys.stdin:
            (service.open.clear if line.strip() == "hold" else service.open.set)()
            print("yes", flush=True)

    threading.Thread(target=obey, daemon=True).start()
    app = make_server(service, token=None, hosts=("127.0.0.1",))
    serve(app, host="127.0.0.1", port=0, token=None, limits=ConnectionLimits(**json.loads(sys.argv[1])))
