import { describe, expect, it } from "vitest";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { audit, createAuditFolder } from "./audit-project.ts";

describe("the audit of a Gemfile", () => {
  it("reads a file of gems of another name", () => {
    expect(audit({ "gemfiles/rails_7.gemfile": "gem 'a', '1.0'\n" }).asked).toEqual(["a 1.0"]);
  });

  it("counts a source with a block for the gems in it alone", () => {
    const text = `source "https://rubygems.org"
gem "a"
gem "b"
source "https://gems.example" do
  gem "c"
  group(:test) do
    gem "d"
  end
end
gem "e"
`;
    const files = readAuditFiles([createAuditFolder({ Gemfile: text })], "auto");
    expect(files[0]?.unparsed).toMatchObject([
      {
        line: 5,
        text: "gems.example",
        reason: "registry: 2 of its packages may come from this host",
      },
    ]);
  });

  it.each([
    'method(:gem).call("evil")',
    '["evil"].each(&method(:gem))',
    'self.method(:gem).call "evil"',
    'send(:gem, "evil")',
    'self.send(:gem, "evil")',
    'self&.public_send(:gem, "evil")',
    'itself.__send__ "gem", "evil"',
    "alias g gem",
    "alias_method :g, :gem",
    "singleton_class.alias_method(:g, :gem)",
    "define_method(:g) { |n| n }",
    'binding.eval("gem %s")',
    'self.instance_eval(File.read("other"))',
    'self.instance_exec("evil", &:gem)',
    ':gem.to_proc.call(self, "evil")',
    ':"gem".to_proc.call(self, "evil")',
    "this = self; this.gem 'evil'",
    'tap { |it| it.gem "evil" }',
    "@dependencies << other",
    'instance_variable_get("@dependencies") << other',
    'Bundler::Dependency.new("evil", nil)',
    "puts \"#{gem 'evil'}\"",
    'x = ?\'; gem "evil"',
    'x = /"/; gem "evil"',
    "x = %w(gem evil)",
    'gem("right").tap { gem "evil" }',
    'gem "right" if gem("evil")',
  ])("counts %j, by which it may name a gem", (line) => {
    expect(audit({ Gemfile: `gem "left"\n${line}\n` })).toEqual({
      asked: ["left"],
      unread: ["Gemfile:2: expression"],
    });
  });

  it.each([
    'git_source(:github) { |repo| "https://github.com/#{repo}.git" }',
    'ruby file: ".ruby-version"',
    "source :rubygems",
    'puts "install the gem that you need"',
    "group :development, optional: true do\nend",
    "platforms :mri, :windows do\nend",
    "require 'json'",
    'rails = ENV.fetch("RAILS", "8.0")',
    'if RUBY_VERSION >= "3" && Gem.win_platform?\nend',
    "method = 1",
    "# gem 'other' by send(:gem)",
  ])("passes over %j", (line) => {
    expect(audit({ Gemfile: `gem "left"\n${line}\n` })).toEqual({ asked: ["left"], unread: [] });
  });
});
