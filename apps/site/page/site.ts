import { SearchDialog } from '../search/search-dialog.ts';

/** The key under which VitePress keeps the reader's choice, so that it holds on all pages. */
const THEME = 'vitepress-theme-appearance';

/** Dark or light: follows the system until the reader chooses. The page's head sets it at first. */
document.querySelector('#theme')?.addEventListener('click', () => {
  const { theme } = document.documentElement.dataset;
  const isDark = theme === 'dark' || (theme === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  const next = isDark ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = next;
  localStorage.setItem(THEME, next);
});

const search = new SearchDialog(new URL('../', import.meta.url).href, (url) => {
  location.href = url;
});
document.querySelector('#search')?.addEventListener('click', () => search.open());
