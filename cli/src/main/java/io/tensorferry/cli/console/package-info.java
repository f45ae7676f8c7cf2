/// What all commands share: exit statuses, sizes, JSON.
package io.tensorferry.cli.console;
