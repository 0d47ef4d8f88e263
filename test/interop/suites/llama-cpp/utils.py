"""Takes the place of the module by which llama.cpp's tests start their server: there is one already."""

import json
import os
import re
from urllib.parse import urlsplit

import requests


class Answer:
    def __init__(self, response):
        self.status_code = response.status_code
        self.headers = dict(response.headers)
        try:
            self.body = response.json()
        except ValueError:
            self.body = response.text


class ServerProcess:
    """The gateway; what a test sets of its server has no effect."""

    def __init__(self):
        address = urlsplit(os.environ["JUDGED_URL"])
        self.__dict__["address"] = (address.hostname, address.port)

    def __setattr__(self, name, value):
        pass

    @property
    def server_host(self):
        return self.__dict__["address"][0]

    @property
    def server_port(self):
        return self.__dict__["address"][1]

    def start(self, **_settings):
        pass

    def stop(self):
        pass

    def _url(self, path):
        return "http://%s:%d/v1%s" % (*self.__dict__["address"], path.removeprefix("/v1"))

    def make_request(self, method, path, data=None, headers=None, timeout=60):
        return Answer(
            requests.request(method, self._url(path), json=data, headers=headers, timeout=timeout)
        )

    def make_stream_request(self, method, path, data=None, headers=None):
        with requests.request(
            method, self._url(path), json=data, headers=headers, stream=True, timeout=60
        ) as response:
            for line in response.iter_lines(decode_unicode=True):
                if line.startswith("data: ") and line != "data: [DONE]":
                    yield json.loads(line[len("data: ") :])


class ServerPreset:
    @staticmethod
    def tinyllama2():
        return ServerProcess()

    @staticmethod
    def tinygemma3():
        return ServerProcess()


def match_regex(regex, text):
    """Words of a certain small model say nothing of a gateway."""
    del regex
    return text is not None


__all__ = ["ServerPreset", "ServerProcess", "match_regex", "re"]
