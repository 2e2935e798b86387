import './cache.test.ts';
