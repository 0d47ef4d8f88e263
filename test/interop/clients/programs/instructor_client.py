"""instructor: objects of a schema in four turns, by a tool and by a JSON format."""

import anthropic
import instructor
import openai
from pydantic import BaseModel
from sessions import each_session


class City(BaseModel):
    name: str
    people: int


def clients_of(session):
    key = session["key"]
    if session["dialect"] == "messages":
        client = anthropic.Anthropic(base_url=session["url"], api_key=key, max_retries=0)
        modes = [instructor.Mode.ANTHROPIC_TOOLS, instructor.Mode.ANTHROPIC_JSON]
        return [instructor.from_anthropic(client, mode=mode) for mode in modes]
    client = openai.OpenAI(base_url=session["url"] + "/v1", api_key=key, max_retries=0)
    if session["dialect"] == "responses":
        return [instructor.from_openai(client, mode=instructor.Mode.RESPONSES_TOOLS)]
    modes = [instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA]
    return [instructor.from_openai(client, mode=mode) for mode in modes]


def run(session):
    more = {"max_tokens": 1000} if session["dialect"] == "messages" else {}
    for client in clients_of(session):
        messages = []
        for turn in range(4):
            # A mode that only asks for JSON in words gets the words of the script.
            answer = '{"name": "Utopia", "people": 7}'
            prompt = f"Session {session['id']}, turn {turn}: a city of 7 in Utopia.\nsay {answer}"
            messages.append({"role": "user", "content": prompt})
            city = client.create(
                model=session["model"],
                response_model=City,
                messages=list(messages),
                max_retries=0,
                **more,
            )
            assert city.name == "Utopia", city
            messages.append({"role": "assistant", "content": city.model_dump_json()})
    return session["expected"]


each_session(run)
