"""Apprise plugin for Carillon, an open, self-hostable notification service.

    carillon://{token}@{host}:{port}     over http, for a network of your own
    carillons://{token}@{host}:{port}    over https

The token is an API token (`carillon_pat_…`, scope `notifications:send`) or the secret of a service's URL
(`carillon_hook_…`). README.md beside this file has the options. Needs nothing but Apprise 1.2 or later.
"""

import time
import unicodedata
import uuid

import requests
from apprise import NotifyFormat
from apprise.decorators import notify
from apprise.logger import logger

TITLE_MAX = 120
BODY_MAX = 8000
PAGE_BODY_MAX = 4000
HOOK = "carillon_hook_"
# Carillon answers once the push providers have, which takes it 10 seconds at most.
TIMEOUT = (5, 30)
# The pause in seconds before each further attempt.
PAUSES = (1, 3)
# A repeat may be answered better; 409 says that an earlier attempt is still running.
PASSING = (409, 429, 502, 503, 504)


def _cleaned(text, keep=""):
    """NFC, without lone surrogates and without the control characters that Carillon refuses."""
    text = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    shown = (c if c in keep or not (ord(c) < 32 or ord(c) == 127) else " " for c in text)
    return unicodedata.normalize("NFC", "".join(shown)).strip()


def _cut(text, most):
    return text if len(text) <= most else text[: most - 1] + "…"


def _message(body, title, markdown, options):
    """The JSON of the request. A title that is missing is the first line of the body."""
    body = _cleaned(body, keep="\n\t")
    title = _cleaned(title) or _cleaned(body.split("\n")[0]) or "Apprise"
    paged = "oncall" in options
    message = {
        "title": _cut(title, TITLE_MAX),
        "body": _cut(body or title, PAGE_BODY_MAX if paged else BODY_MAX),
    }
    if markdown and not paged:
        message["bodyFormat"] = "markdown"
    for option, field in (
        ("url", "url"),
        ("project", "projectId"),
        ("group", "deviceGroupId"),
        ("oncall", "oncall"),
    ):
        if option in options:
            message[field] = options[option]
    if "device" in options:
        message["deviceIds"] = [each for each in options["device"].split(",") if each]
    return message


def _origin(meta):
    scheme = "https" if meta["schema"] == "carillons" else "http"
    port = ":%d" % meta["port"] if meta.get("port") else ""
    return "%s://%s%s%s" % (scheme, meta["host"], port, (meta.get("fullpath") or "").rstrip("/"))


def _post(url, headers, message, verify):
    """Posts the message, and once more where that may help: all attempts carry one idempotency key."""
    headers = dict(headers, **{"Idempotency-Key": str(uuid.uuid4()), "User-Agent": "Apprise"})
    for pause in PAUSES + (None,):
        try:
            answer = requests.post(
                url, json=message, headers=headers, verify=verify, timeout=TIMEOUT, allow_redirects=False
            )
            if answer.status_code in (200, 201):
                return True
            said = _said(answer)
            passing = answer.status_code in PASSING
        except requests.RequestException as error:
            # Not the error itself: its text may hold the URL, which may hold the secret.
            said = "the request failed (%s)" % type(error).__name__
            passing = True
        if not passing or pause is None:
            logger.warning("Failed to send Carillon notification: %s.", said)
            return False
        time.sleep(pause)
    return False


def _said(answer):
    try:
        told = answer.json()
        return "%d %s: %s" % (answer.status_code, told.get("code"), told.get("error"))
    except (ValueError, AttributeError):
        return "%d from a server that is no Carillon" % answer.status_code


def _send(body, title, meta, body_format, attach):
    token = meta.get("user")
    if not token or not meta.get("host"):
        logger.warning("Failed to send Carillon notification: the URL needs a token and a host.")
        return False
    if attach:
        logger.warning("Carillon takes no attachments: the notification is sent without them.")
    options = {name: value for name, value in (meta.get("qsd") or {}).items() if value}
    verify = str(options.get("verify", "yes")).lower() not in ("no", "false", "0")
    markdown = NotifyFormat.MARKDOWN in (body_format, options.get("format", "").lower())
    message = _message(body, title or "", markdown, options)
    if token.startswith(HOOK):
        return _post("%s/hooks/%s" % (_origin(meta), token), {}, message, verify)
    authorization = {"Authorization": "Bearer %s" % token}
    return _post("%s/api/agent/notifications" % _origin(meta), authorization, message, verify)


@notify(on="carillon", name="Carillon")
def carillon(body, title, notify_type, *args, meta, body_format=None, attach=None, **kwargs):
    return _send(body, title, meta, body_format, attach)


@notify(on="carillons", name="Carillon (https)")
def carillons(body, title, notify_type, *args, meta, body_format=None, attach=None, **kwargs):
    return _send(body, title, meta, body_format, attach)
