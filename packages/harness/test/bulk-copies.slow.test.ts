import './bulk-copies.test.ts';
