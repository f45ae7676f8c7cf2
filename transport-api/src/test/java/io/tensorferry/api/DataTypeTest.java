package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataTypeTest {
    @ParameterizedTest
    @CsvSource({
        "FLOAT, 1, 4",
        "DOUBLE, 2, 8",
        "INT32, 3, 4",
        "UINT8, 4, 1",
        "INT16, 5, 2",
        "INT8, 6, 1",
        "STRING, 7, 0",
        "COMPLEX64, 8, 8",
        "INT64, 9, 8",
        "BOOL, 10, 1",
        "QINT8, 11, 1",
        "QUINT8, 12, 1",
        "QINT32, 13, 4",
        "BFLOAT16, 14, 2",
        "QINT16, 15, 2",
        "QUINT16, 16, 2",
        "UINT16, 17, 2",
        "COMPLEX128, 18, 16",
        "HALF, 19, 2",
        "UINT32, 22, 4",
        "UINT64, 23, 8"
    })
    void hasTensorFlowsNumberAndSize(DataType type, int number, int byteSize) {
        assertThat(type.number()).isEqualTo(number);
        assertThat(type.byteSize()).isEqualTo(byteSize);
        assertThat(DataType.ofNumber(number)).isEqualTo(type);
    }

    @Test
    void thereAreNoOthers() {
        assertThat(DataType.values()).hasSize(21);
    }

    @ParameterizedTest
    @EnumSource
    void allButStringsArePlainMemory(DataType type) {
        assertThat(type.isDmaAble()).isEqualTo(type != DataType.STRING);
    }

    /// 20 and 21 are resource and variant; 101 and up are TensorFlow's reference types.
    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 20, 21, 24, 101, Integer.MAX_VALUE})
    void anotherNumberIsRefused(int number) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DataType.ofNumber(number))
                .withMessageContaining(Integer.toString(number));
    }
}
