import { describeCompletion } from "../support/describe-completion.ts";

describeCompletion("zsh");
describeCompletion("fish");
