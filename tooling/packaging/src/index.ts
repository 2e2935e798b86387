export { installLine, publishedPackages, type Entry, type PublishedPackage } from './published-packages.ts';
