import './bulk.test.ts';
