/// The common parts of all commands: exit statuses, sizes, JSON.
package io.tensorferry.cli.console;
