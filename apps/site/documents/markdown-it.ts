/** The parts of VitePress's markdown-it that the rules use. */
export interface MarkdownIt {
  readonly core: {
    readonly ruler: {
      disable(name: string): void;
      push(name: string, rule: (state: State) => void): void;
    };
  };
}

/** A document on its way from Markdown to HTML. */
export interface State {
  tokens: Token[];
  readonly env: Environment;
  readonly Token: new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;
}

export interface Token {
  readonly type: string;
  tag: string;
  content: string;
  info: string;
  children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

export interface Environment {
  /** `src/stage-documents.ts` writes it. */
  readonly frontmatter?: { readonly file?: string };
}
