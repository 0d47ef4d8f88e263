import { blankRubyQuotedText } from "./ruby-text.ts";

/** A call with arguments, also of another object, which may be the Gemfile itself. */
const gemCall = /(?<![\w@$:-])(?:gem|plugin)(?![\w?!:=-])(?!\s*[=.]|\s*$)/;

/** Methods by which a program may call `gem` under another name. */
const indirectCall =
  /(?<![\w@$])(?:(?:public_|__)?send(?:__)?|(?:(?:instance|class|module)_)?e(?:val|xec)|(?:public_|instance_)?method|alias(?:_method)?|define_(?:singleton_)?method|instance_variable_[gs]et)(?![\w?!=:])(?!\s*=)/;

/** Names of methods of a Gemfile that are passed on, and what these methods do themselves. */
const gemObject =
  /(?<![\w:]):(?:gem|gemspec|eval_gemfile)\b|\beval_gemfile\b|@dependencies\b|\bBundler::D(?:sl|ependency)\b/;

/** A quote that may be the name of a character or within a pattern, and quotes of other forms. */
const unclearQuote = /[?$/:]["']|`|%[qQwWiIrxs]?[^\w\s=]/;

/** Whether code calls `gem`, or a method that may do so. */
export function hasVisibleGemCall(code: string): boolean {
  const plain = blankRubyQuotedText(code);
  return [gemCall, indirectCall, gemObject].some((pattern) => pattern.test(plain));
}

/** Whether a statement may call `gem` in a way that its text does not tell. */
export function hasPossibleGemCall(code: string): boolean {
  if (hasVisibleGemCall(code)) return true;
  const plain = blankRubyQuotedText(code);
  // What stands in quotes is a program as well, or may be none of a text.
  const isUnclear = unclearQuote.test(code) || !isClosed(plain);
  const programs = isUnclear ? [code] : code.split("#{").slice(1);
  return programs.some((program) => /(?<![\w.-])(?:gem|plugin|send|eval)(?![\w.-])/.test(program));
}

/** Whether all quotes of a statement, whose contents are left out, end in it. */
function isClosed(plain: string): boolean {
  return ['"', "'"].every((quote) => plain.split(quote).length % 2 === 1);
}
