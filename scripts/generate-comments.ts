import { writeFile } from "node:fs/promises";
import type { FileDescriptorProto, FileDescriptorSet } from "@bufbuild/protobuf/wkt";

/**
 * Writes the comments of the contract to a JSON file, by full name, because
 * generated descriptors carry none: the OpenAPI document is described by them.
 */
export async function generateComments(contract: FileDescriptorSet, target: string): Promise<void> {
  const files = contract.file.filter((it) => it.package.startsWith("causeway."));
  const comments = files.flatMap(commentsOf);
  comments.sort(([left], [right]) => (left < right ? -1 : 1));
  await writeFile(target, `${JSON.stringify(Object.fromEntries(comments), null, 2)}\n`);
}

type Comment = [name: string, text: string];

function commentsOf(file: FileDescriptorProto): Comment[] {
  return (file.sourceCodeInfo?.location ?? [])
    .filter((location) => location.leadingComments !== "")
    .flatMap(({ path, leadingComments }) => {
      const name = nameAt(file, path);
      return name === undefined ? [] : [[`${file.package}.${name}`, textOf(leadingComments)]];
    });
}

/** A place in a descriptor: a type or a member of one. */
interface Place {
  readonly name: string;
  /** Its lists, by the number of the list's field in `google/protobuf/descriptor.proto`. */
  readonly lists: Readonly<Record<number, readonly Place[]>>;
}

/** The name at a source path, which is a row of list numbers and indices; undefined for anything unnamed. */
function nameAt(file: FileDescriptorProto, path: readonly number[]): string | undefined {
  let place: Place | undefined = { name: "", lists: listsOf(file) };
  const names: string[] = [];
  for (let at = 0; at + 1 < path.length; at += 2) {
    place = place.lists[path[at] ?? -1]?.[path[at + 1] ?? -1];
    if (place === undefined) return undefined;
    names.push(place.name);
  }
  return path.length % 2 === 0 && names.length > 0 ? names.join(".") : undefined;
}

function listsOf(file: FileDescriptorProto): Place["lists"] {
  return {
    4: file.messageType.map(messagePlace),
    5: file.enumType.map((it) => ({ name: it.name, lists: { 2: it.value.map(leaf) } })),
    6: file.service.map((it) => ({ name: it.name, lists: { 2: it.method.map(leaf) } })),
  };
}

type MessageType = FileDescriptorProto["messageType"][number];

function messagePlace(message: MessageType): Place {
  return {
    name: message.name,
    lists: {
      2: message.field.map(leaf),
      3: message.nestedType.map(messagePlace),
      4: message.enumType.map((it) => ({ name: it.name, lists: { 2: it.value.map(leaf) } })),
    },
  };
}

function leaf({ name }: { name: string }): Place {
  return { name, lists: {} };
}

/** Without line breaks. */
function textOf(comment: string): string {
  return comment.replaceAll(/\s+/g, " ").trim();
}
