import './nan-operations.test.ts';
