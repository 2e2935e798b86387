export { bundlePackage } from './bundle-package.ts';
export { installLine, publishedPackages, type PackageEntry, type PublishedPackage } from './published-packages.ts';
