import './far-one-sided.test.ts';
