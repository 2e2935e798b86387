import './regions.test.ts';
