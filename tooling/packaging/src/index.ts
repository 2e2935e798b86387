export { installLine, publishedPackages, type PackageEntry, type PublishedPackage } from './published-packages.ts';
