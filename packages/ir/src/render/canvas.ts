/** The style of a piece of rendered text. */
export type Style = 'plain' | 'strong' | 'error' | 'warning' | 'note' | 'gutter' | 'secondary';

const codes: Readonly<Record<Style, string>> = {
  plain: '',
  strong: '\u001b[1m',
  error: '\u001b[1;31m',
  warning: '\u001b[1;33m',
  note: '\u001b[1;36m',
  gutter: '\u001b[1;34m',
  secondary: '\u001b[1;34m',
};
const reset = '\u001b[0m';

/** Applies `style` to `text`. Without colour the text is unchanged. */
export function paint(text: string, style: Style, colour: boolean): string {
  return colour && style !== 'plain' && text !== '' ? `${codes[style]}${text}${reset}` : text;
}

/** A line of text that callers write to at any column. Later writes cover earlier ones. */
export class CanvasRow {
  readonly #characters: string[] = [];
  readonly #styles: Style[] = [];

  /** The number of columns up to the last one written. */
  get width(): number {
    return this.#characters.length;
  }

  write(column: number, text: string, style: Style): void {
    while (this.#characters.length < column) {
      this.#characters.push(' ');
      this.#styles.push('plain');
    }
    for (let i = 0; i < text.length; i++) {
      this.#characters[column + i] = text.charAt(i);
      this.#styles[column + i] = style;
    }
  }

  toText(colour: boolean): string {
    let text = '';
    let start = 0;
    for (let i = 1; i <= this.width; i++) {
      if (i < this.width && this.#styles[i] === this.#styles[start]) continue;
      text += paint(this.#characters.slice(start, i).join(''), this.#styles[start] ?? 'plain', colour);
      start = i;
    }
    return text.trimEnd();
  }
}
