/** The beginning of a data URL, up to its data. */
export interface DataUrlHead {
  readonly mediaType: string;
  readonly isBase64: boolean;
  /** Length of the beginning, its comma included. */
  readonly length: number;
}

/** Characters before the data: a media type and a few parameters. */
const maxHeadLength = 1024;

const scheme = /^data:/i;

/** Reads the beginning of a data URL; undefined for any other address, and where no data follow. */
export function readDataUrlHead(url: string): DataUrlHead | undefined {
  if (!scheme.test(url)) return undefined;
  const comma = url.slice(0, maxHeadLength).indexOf(",");
  if (comma === -1) return url.includes(",") ? longHead : undefined;
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).split(";");
  const isBase64 = parameters.at(-1)?.toLowerCase() === "base64";
  return { mediaType: mediaType.toLowerCase(), isBase64, length: comma + 1 };
}

/** A longer beginning is refused like data that are not base64. */
const longHead: DataUrlHead = { mediaType: "", isBase64: false, length: 0 };
