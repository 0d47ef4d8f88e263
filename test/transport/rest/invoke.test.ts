import { create } from "@bufbuild/protobuf";
import {
  createClient,
  createHandlerContext,
  createRouterTransport,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { UserSchema } from "../../../gen/ts/causeway/account/v1/user_pb.ts";
import { createRestMethodInvoker } from "../../../src/transport/rest/invoke.ts";
import { partialService } from "../support/call-server.ts";

const { getMe } = AccountService.method;

/** Notes what interceptors and handler see, in order. */
function observed() {
  const notes: unknown[] = [];
  const interceptors = ["outer", "inner"].map((name): Interceptor => (next) => async (request) => {
    notes.push([name, request.service.typeName, request.method.name, request.stream]);
    request.header.set(`x-${name}`, "1");
    const response = await next(request);
    response.header.set(`x-${name}`, "2");
    notes.push(`${name} done`);
    return response;
  });
  const handler = (
    _request: unknown,
    { requestHeader, responseHeader, method }: HandlerContext,
  ) => {
    notes.push([method.name, requestHeader.get("x-outer"), requestHeader.get("x-inner")]);
    responseHeader.set("x-handler", "3");
    return { email: "a@example.org" };
  };
  return { notes, interceptors, handler };
}

describe("createInvoke()", () => {
  it("calls interceptors and handler as the library's own router does", async () => {
    const viaRouter = observed();
    const transport = createRouterTransport(
      ({ service }) => void service(AccountService, { getMe: viaRouter.handler }),
      { router: { interceptors: viaRouter.interceptors } },
    );
    let routerHeader = new Headers();
    const onHeader = (header: Headers) => (routerHeader = header);
    const expected = await createClient(AccountService, transport).getMe({}, { onHeader });

    const direct = observed();
    const mounted = partialService(AccountService, { getMe: direct.handler });
    const invoke = createRestMethodInvoker(mounted, getMe, direct.interceptors);
    const context = createHandlerContext({
      service: AccountService,
      method: getMe,
      protocolName: "rest",
      requestMethod: "GET",
      url: "http://localhost/v1/me",
    });
    const answer = await invoke(context, create(getMe.input));

    expect(answer).toEqual(create(UserSchema, { email: "a@example.org" }));
    expect(answer).toEqual(expected);
    expect(direct.notes).toEqual(viaRouter.notes);
    for (const name of ["x-outer", "x-inner", "x-handler"]) {
      expect(context.responseHeader.get(name)).toBe(routerHeader.get(name));
    }
  });

  it("binds the handler to its implementation", async () => {
    const implementation = {
      ...partialService(AccountService, {}).implementation,
      answer: "bound@example.org",
      getMe(this: { answer: string }) {
        return { email: this.answer };
      },
    };
    const mounted = { service: AccountService, implementation } as never;
    const context = createHandlerContext({
      service: AccountService,
      method: getMe,
      protocolName: "rest",
      requestMethod: "GET",
      url: "http://localhost/v1/me",
    });
    const answer = await createRestMethodInvoker(mounted, getMe, [])(context, create(getMe.input));
    expect(answer).toMatchObject({ email: "bound@example.org" });
  });
});
