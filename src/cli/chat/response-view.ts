/** Shows an answer as it comes. Texts are as others wrote them. */
export interface CliChatView {
  /** Words of the answer. */
  text(words: string): void;
  /** Words of what the model thinks. */
  reasoning(words: string): void;
  /** One line about a tool that is called, or has answered. */
  tool(line: string): void;
  /** One line about the answer itself. */
  note(line: string): void;
  /** Nothing will be there to show for a while. */
  wait(what: string): void;
  /** The answer has ended, for whatever reason. */
  end(): void;
}
