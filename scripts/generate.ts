import { fileURLToPath } from "node:url";
import { buf } from "./buf.ts";
import { layOutThirdPartyProtos } from "./third-party-protos.ts";

/** `npm run gen`: writes gen/ts anew from proto/ and buf.gen.yaml. */
const root = fileURLToPath(new URL("..", import.meta.url));

await layOutThirdPartyProtos(root);
await buf(root, ["generate"]);
