import { framed } from './framed.ts';

/**
 * `<nccl-exhibit name="no-end-barrier">`: checks the broken and the fixed kernel of a museum
 * exhibit in the page. The first click loads everything.
 */
class NcclExhibit extends HTMLElement {
  connectedCallback(): void {
    const bar = document.createElement('div');
    bar.className = 'play-bar';
    for (const [variant, text] of [
      ['broken', 'Check the broken kernel here'],
      ['mended', 'Check the fixed one'],
    ] as const) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = text;
      button.dataset['variant'] = variant;
      button.addEventListener('click', () => void this.check(variant));
      bar.append(button);
    }
    const open = document.createElement('a');
    open.href = new URL(`../ptx/?case=${this.#name}/broken`, import.meta.url).href;
    open.textContent = 'Open it with its PTX and its launch';
    bar.append(open);
    this.append(framed(bar));
  }

  get #name(): string {
    return this.getAttribute('name') ?? '';
  }

  async check(variant: 'broken' | 'mended'): Promise<void> {
    const { checkExhibit } = await import('./exhibit-check.ts');
    await checkExhibit(this, `${this.#name}/${variant}`);
  }
}

customElements.define('nccl-exhibit', NcclExhibit);
