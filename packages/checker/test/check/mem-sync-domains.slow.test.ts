import './mem-sync-domains.test.ts';
