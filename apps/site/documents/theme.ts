import { inBrowser, type Theme, useRouter, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h, onMounted, type VNode } from 'vue';
import { SearchDialog } from '../search/search-dialog.ts';
import '../search/search.css';
import './style.css';

/** The pages with programs, which VitePress does not render. */
const apps = /^\/(?:playground|litmus|break|barrier|algorithms|ptx)\//;

const theme: Theme = {
  extends: DefaultTheme,
  Layout: {
    setup: () => {
      const router = useRouter();
      let search: SearchDialog | undefined;
      onMounted(() => {
        // The elements change what is in them, so they wait until Vue has taken over the page.
        void import(/* @vite-ignore */ withBase('/assets/embeds.js'));
        search = new SearchDialog(withBase('/'), (url) => void router.go(url));
      });
      const button = (): VNode =>
        h('button', { class: 'search-button', type: 'button', onClick: () => search?.open() }, [
          'Search ',
          h('kbd', '/'),
        ]);
      return () => h(DefaultTheme.Layout, null, { 'nav-bar-content-before': button });
    },
  },
  enhanceApp: ({ router }) => {
    router.onBeforeRouteChange = (to) => {
      if (!inBrowser || !apps.test(to)) return;
      location.href = to;
      return false;
    };
  },
};
export default theme;
