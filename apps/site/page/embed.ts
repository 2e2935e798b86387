import { framed } from './framed.ts';
import type { Playground } from './ui/playground.ts';

/**
 * `<nccl-play data-ranks="4" data-verdict="clean">` around highlighted code. The first click loads
 * the editor and the worker.
 */
class NcclPlay extends HTMLElement {
  #playground: Promise<Playground> | undefined;

  connectedCallback(): void {
    const bar = document.createElement('div');
    bar.className = 'play-bar';
    for (const action of ['run', 'check'] as const) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = action === 'run' ? 'Run' : 'Check';
      button.dataset['action'] = action;
      button.addEventListener('click', () => void this.start(action));
      bar.append(button);
    }
    const open = document.createElement('a');
    open.href = '#';
    open.textContent = 'Open in the playground';
    open.addEventListener('click', (event) => {
      event.preventDefault();
      void this.#open();
    });
    bar.append(open);
    // Above the program: a reader of a long one would not know that it runs.
    this.prepend(framed(bar));
  }

  get #text(): string {
    // A host program may follow the kernel.
    return [...this.querySelectorAll('pre')].map(({ textContent }) => textContent.trimEnd()).join('\n\n') + '\n';
  }

  /** Runs or checks the program. */
  async start(action: 'run' | 'check'): Promise<void> {
    const playground = await (this.#playground ??= this.#load());
    await (action === 'run' ? playground.runNow() : playground.checkNow());
    // Under a long program, or on a phone, the answer would be out of sight. Beside it, there is
    // room for the fix too.
    const isBeside = this.classList.contains('beside') && matchMedia('(min-width: 64rem)').matches;
    if (isBeside) this.scrollIntoView();
    else this.querySelector('.verdict')?.scrollIntoView({ block: 'nearest' });
  }

  async #load(): Promise<Playground> {
    const { openEmbed } = await import('./embed-editor.ts');
    return openEmbed(this, this.#text, Number(this.dataset['ranks'] ?? '4'));
  }

  async #open(): Promise<void> {
    const { fragmentOf } = await import('./embed-editor.ts');
    const playground = await this.#playground;
    // Once it has run, an editor stands in the place of the code.
    const text = playground?.text ?? this.#text;
    const ranks = playground?.machine.ranks ?? Number(this.dataset['ranks'] ?? '4');
    const page = new URL('../playground/', import.meta.url);
    location.href = page.href + (await fragmentOf({ text, ranks, seed: 1, nodes: 1 }));
  }
}

customElements.define('nccl-play', NcclPlay);
