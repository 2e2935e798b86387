import { inBrowser, type Router, type Theme, useRouter, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineComponent, h, onMounted, type VNode } from 'vue';
import { SearchDialog } from '../search/search-dialog.ts';
import '../search/search.css';
import { CodesFilter } from './codes-filter.ts';
import './style.css';

/** The pages with programs, which VitePress does not render. */
const apps = ['playground', 'litmus', 'break', 'barrier', 'algorithms', 'ptx'];
const repository = 'https://github.com/nccl-ts/nccl-ts';

const Layout = defineComponent({
  name: 'DocumentLayout',
  setup: () => {
    const router = useRouter();
    let search: SearchDialog | undefined;
    onMounted(() => {
      // The elements change what is in them, so they wait until Vue has taken over the page.
      loadEmbeds();
      search = new SearchDialog(withBase('/'), (url) => void visit(router, url));
    });
    return () =>
      h(DefaultTheme.Layout, null, {
        'nav-bar-content-before': () => searchButton(() => search?.open()),
        'doc-after': footer,
        'page-bottom': footer,
        'not-found': notFound,
      });
  },
});

function notFound(): VNode {
  return h('main', { class: 'NotFound vp-doc' }, [
    h('h1', 'There is no such page'),
    h('p', 'It may have moved. Press / to search all pages, or begin at one of these:'),
    h('ul', [
      h('li', h('a', { href: withBase('/') }, 'The start')),
      h('li', h('a', { href: withBase('/docs/') }, 'All documents')),
      h('li', h('a', { href: withBase('/docs/reference/codes/') }, 'Codes of errors and findings')),
    ]),
  ]);
}

async function visit(router: Router, url: string): Promise<void> {
  await router.go(url);
  // VitePress tells of a new anchor only if a link led to it.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The style of programs first, so that their buttons do not move. Nothing before that needs it. */
function loadEmbeds(): void {
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = withBase('/assets/embeds.css');
  style.addEventListener('load', () => void import(/* @vite-ignore */ withBase('/assets/embeds.js')));
  document.head.append(style);
}

function searchButton(open: () => void): VNode {
  return h('button', { class: 'search-button', type: 'button', onClick: open }, ['Search ', h('kbd', '/')]);
}

function footer(): VNode {
  const link = (text: string, href: string): VNode =>
    h('a', { href: href.startsWith('/') ? withBase(href) : href }, text);
  return h('nav', { class: 'site-footer', 'aria-label': 'Project' }, [
    link('GitHub', repository),
    link('Changelog', '/packages/nccl-ts/CHANGELOG/'),
    link('Architecture', '/ARCHITECTURE/'),
    link('Report an error', `${repository}/issues`),
    h('span', 'Apache-2.0'),
  ]);
}

const theme: Theme = {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app, router }) => {
    app.component('CodesFilter', CodesFilter);
    router.onBeforeRouteChange = (to) => {
      if (!inBrowser || !apps.some((name) => to.startsWith(withBase(`/${name}/`)))) return;
      location.href = to;
      return false;
    };
  },
};
export default theme;
