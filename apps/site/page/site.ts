import './embed.ts';
import './exhibit.ts';

/** Dark or light: follows the system until the reader chooses. */
const button = document.querySelector('#theme');
const stored = localStorage.getItem('theme');
if (stored === 'dark' || stored === 'light') document.documentElement.dataset['theme'] = stored;
button?.addEventListener('click', () => {
  const isDark =
    document.documentElement.dataset['theme'] === 'dark' ||
    (document.documentElement.dataset['theme'] === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  const next = isDark ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = next;
  localStorage.setItem('theme', next);
});

interface SearchEntry {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

const box = document.querySelector('#search');
const hits = document.querySelector('#hits');
let index: Promise<readonly SearchEntry[]> | undefined;
box?.addEventListener('input', () => void search());
box?.addEventListener('keydown', (event) => {
  if (event instanceof KeyboardEvent && event.key === 'Escape') hits?.replaceChildren();
});

/** The page fetches the index at the first search. */
async function search(): Promise<void> {
  if (!(box instanceof HTMLInputElement) || hits === null) return;
  const words = box.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
  if (words.length === 0) {
    hits.replaceChildren();
    return;
  }
  index ??= fetch(new URL('search.json', import.meta.url)).then(
    async (response) => response.json() as Promise<readonly SearchEntry[]>,
  );
  const found = (await index)
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 8);
  hits.replaceChildren(
    ...found.map(({ entry }) => {
      const link = document.createElement('a');
      link.href = new URL(`../${entry.url}`, import.meta.url).href;
      link.textContent = entry.title;
      return link;
    }),
  );
}

function scoreOf({ title, text }: SearchEntry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word);
    const inText = text.includes(word);
    if (!inTitle && !inText) return 0;
    score += inTitle ? 5 : 1;
  }
  return score;
}
