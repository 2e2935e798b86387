import './put-sources.test.ts';
