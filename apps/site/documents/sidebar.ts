import { ncclNamesUrl, packagesUrl, type Document } from '../src/documents.ts';

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
}

/**
 * The tree of documents, by the beginning of the address. Packages and the museum have trees of
 * their own: a page has to start with every entry that it shows.
 */
export function sidebarOf(documents: readonly Document[]): Readonly<Record<string, readonly SidebarItem[]>> {
  const sections = [...new Set(documents.map(({ section }) => section))];
  const sectionOf = (section: string): SidebarItem => ({
    text: section,
    items: [
      ...documents.filter((one) => one.section === section).map(itemOf),
      ...(section === 'Reference' ? added : []),
    ],
  });
  const rest = sections.filter((section) => section !== 'Packages' && section !== 'Museum');
  return {
    '/packages/': [
      { text: 'Documents', link: '/docs/' },
      { text: 'Packages', link: `/${packagesUrl}`, items: sectionOf('Packages').items ?? [] },
    ],
    '/docs/museum/': [{ text: 'Documents', link: '/docs/' }, sectionOf('Museum')],
    '/': rest.map(sectionOf),
  };
}

const added: readonly SidebarItem[] = [
  { text: 'From NCCL to nccl-ts', link: `/${ncclNamesUrl}` },
  { text: 'Packages and their API', link: `/${packagesUrl}` },
];

function itemOf({ title, url, api }: Document): SidebarItem {
  return { text: title, link: `/${url}`, ...(api === undefined ? {} : { items: [{ text: 'API', link: `/${api}` }] }) };
}
