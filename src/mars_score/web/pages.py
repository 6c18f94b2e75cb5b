"""Pages that a server sends with their content policy, and the page at /docs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse, Response

from mars_score.io.html import Assets, assets, csp_hash, environment

if TYPE_CHECKING:
    from jinja2 import Environment


HERE = "mars_score.web"


def policy(assets: Assets) -> str:
    """The content policy of a page: its own style and script, and requests to this server alone."""
    return (
        f"default-src 'none'; style-src '{csp_hash(assets.style)}'; script-src '{csp_hash(assets.script)}'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'"
    )


def page_response(
    page: str, assets: Assets, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> Response:
    """Send a page with its policy; only a header can forbid frames."""
    policy_header = {"Content-Security-Policy": f"{policy(assets)}; frame-ancestors 'none'"}
    return HTMLResponse(page, status, {**policy_header, **(headers or {})})


def error_page(status: int, message: str, remedy: str) -> tuple[str, Assets]:
    """Return the page of an error."""
    phrase = HTTPStatus(status).phrase
    return _render(
        "error.html.j2", status=status, phrase=phrase, message=message, remedy=remedy
    ), own_assets()


@cache
def own_assets() -> Assets:
    """The style and script of the pages of this folder."""
    return assets(HERE, "docs.css")


def _render(template: str, **values: object) -> str:
    assets = own_assets()
    page = _environment().get_template(template)
    return page.render(assets=assets, policy=policy(assets), **values)


@cache
def _environment() -> Environment:
    return environment(HERE)


METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for."""

    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[tuple[str, str, str], ...]
    """Name, where it stands, and what it means."""
    bodies: tuple[tuple[str, str], ...]
    """Content type and an example."""
    answers: tuple[tuple[str, str, str], ...]
    """Status, meaning, and an example."""

    @property
    def anchor(self) -> str:
        """Names the operation in links."""
        return (
            "".join(sign if sign.isalnum() else "-" for sign in f"{self.method}{self.path}")
            .strip("-")
            .lower()
        )


def docs_page(description: dict[str, Any]) -> Response:
    """Render the description."""
    page = _render("docs.html.j2", info=description["info"], operations=operations_of(description))
    return page_response(page, own_assets())


def operations_of(description: dict[str, Any]) -> list[Operation]:
    """List the operations in their order."""
    schemas = description.get("components", {}).get("schemas", {})
    return [
        _operation(method, path, content, schemas)
        for path, methods in description["paths"].items()
        for method, content in methods.items()
        if method in METHODS
    ]


def _operation(method: str, path: str, content: dict[str, Any], schemas: dict[str, Any]) -> Operation:
    return Operation(
        method.upper(),
        path,
        content.get("summary", ""),
        content.get("description", ""),
        tuple(
            (parameter["name"], parameter["in"], parameter.get("description", ""))
            for parameter in content.get("parameters", [])
        ),
        tuple(
            (kind, _example(body, schemas))
            for kind, body in content.get("requestBody", {}).get("content", {}).items()
        ),
        tuple(
            (status, response.get("description", ""), _first_example(response.get("content", {}), schemas))
            for status, response in content.get("responses", {}).items()
        ),
    )


def _first_example(content: dict[str, Any], schemas: dict[str, Any]) -> str:
    return next(filter(None, (_example(media_type, schemas) for media_type in content.values())), "")


def _example(content: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The example that a body, or else its schema, comes with."""
    value = content.get(
        "example", next((example["value"] for example in content.get("examples", {}).values()), None)
    )
    if value is None:
        value = next(iter(_schema(content.get("schema", {}), schemas).get("examples", [])), None)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _schema(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref", "")
    resolved: dict[str, Any] = schemas.get(reference.rsplit("/", 1)[-1], {}) if reference else schema
    return resolved
