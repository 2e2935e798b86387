import { readDocuments } from '../src/documents.ts';
import { own, siteBase } from '../src/folders.ts';
import { markdownRules } from './markdown-rules.ts';
import { sidebarOf } from './sidebar.ts';
import { version } from './version.ts';

const documents = await readDocuments();
const client = `${own}/node_modules/vitepress/dist/client`;
const repository = 'https://github.com/nccl-ts/nccl-ts';
/** A page with programs is not VitePress's, so the browser must load it. */
const app = { target: '_self', noIcon: true } as const;

/** How VitePress renders the documents. `src/render-documents.ts` calls it. */
const config = {
  title: 'nccl-ts',
  titleTemplate: ':title · nccl-ts',
  description: "NCCL's device-initiated communication for TypeScript, simulated and checked.",
  lang: 'en',
  outDir: '../rendered',
  cacheDir: '../vitepress-cache',
  assetsDir: 'pages',
  base: siteBase,
  // A document must not load the pages that its links lead to.
  router: { prefetchLinks: false },
  // Its own check does not know the pages with programs. `src/link-problems.ts` checks all of them.
  ignoreDeadLinks: true,
  // The policy forbids inline scripts whose text differs from page to page.
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { cuda: 'cpp', ptx: 'asm' },
    attrs: { disable: true },
    anchor: { slugify: slugOf },
    linkify: false,
    config: (markdown: Parameters<typeof markdownRules>[0]) => markdownRules(markdown, documents),
  },
  vue: {
    // No component of the theme uses them.
    features: { optionsAPI: false },
    template: { compilerOptions: { isCustomElement: (tag: string) => tag.startsWith('nccl-') } },
  },
  vite: {
    // The theme lies outside the folder that has VitePress.
    resolve: {
      alias: [{ find: /^vitepress\/theme-without-fonts$/, replacement: `${client}/theme-default/without-fonts.js` }],
    },
  },
  transformPageData: (page: { filePath: string; readonly frontmatter: { readonly file?: string } }) => {
    // Readers edit the file of the repository, not its copy under the page's address.
    page.filePath = page.frontmatter.file ?? page.filePath;
  },
  themeConfig: {
    nav: [
      { text: 'Docs', link: '/docs/', activeMatch: '^/(docs/(?!museum)|packages/)' },
      { text: 'Playground', link: '/playground/', ...app },
      { text: 'Check CUDA', link: '/ptx/', ...app },
      { text: 'Museum', link: '/docs/museum/', activeMatch: '^/docs/museum/' },
      {
        text: 'More',
        items: [
          { text: 'Litmus tests', link: '/litmus/', ...app },
          { text: 'Break it', link: '/break/', ...app },
          { text: 'A barrier taken apart', link: '/barrier/', ...app },
          { text: 'Four ways to sum', link: '/algorithms/', ...app },
        ],
      },
      { text: version, items: [{ text: 'Changelog', link: '/packages/nccl-ts/CHANGELOG/' }] },
    ],
    sidebar: sidebarOf(documents),
    outline: { level: [2, 3], label: 'On this page' },
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: {
      // A function would reach the page as text, and the policy forbids to evaluate it.
      pattern: `${repository}/edit/main/:path`,
      text: 'Edit this page',
    },
    externalLinkIcon: true,
  },
};
export default config;

/** The anchor of a heading, as GitHub makes it: links between documents hold in both places. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
