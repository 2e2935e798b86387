/** The part of the playground's editor that tests use. */
export interface EditorView {
  readonly state: { readonly doc: { toString(): string } };
  dispatch(change: object): void;
  focus(): void;
}
