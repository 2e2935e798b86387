/** The parts of VitePress's markdown-it that the rules use. */
export interface MarkdownIt {
  readonly core: {
    readonly ruler: {
      disable(name: string): void;
      push(name: string, rule: (state: { readonly tokens: Token[]; readonly env: Environment }) => void): void;
    };
  };
  readonly renderer: { readonly rules: { fence: Rule } };
}

export interface Token {
  readonly type: string;
  readonly tag: string;
  readonly content: string;
  readonly info: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

export interface Environment {
  /** `src/stage-documents.ts` writes it. */
  readonly frontmatter?: { readonly file?: string };
}

type Rule = (tokens: readonly Token[], index: number, options: unknown, env: Environment, self: unknown) => string;
